// A button that chooses a folder for an uploader, which itself offers files alone. The paths within the folder stay in the names.
export default function ({ data, parentElement, setTriggerValue }) {
  const button = parentElement.querySelector("button");
  button.ariaLabel = data.label;
  button.onclick = () => {
    const picker = document.createElement("input");
    picker.type = "file";
    picker.webkitdirectory = true;
    picker.onchange = () => {
      const input = document.querySelector(`.st-key-${data.uploader} input[type=file]`), transfer = new DataTransfer();
      const kept = [...picker.files].filter(file => !/(^|\/)(\.|__MACOSX)/.test(file.webkitRelativePath));
      for (const file of kept) transfer.items.add(new File([file], file.webkitRelativePath, { type: file.type }));
      if (!input || !kept.length) return;
      if (kept.length > data.most) return setTriggerValue("many", kept.length);
      input.files = transfer.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    };
    picker.click();
  };
}
