"""Drawing of blocks, tables, findings and downloads; `viewer` and `case_grid` are Streamlit components."""
