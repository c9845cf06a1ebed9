"""Small things that every folder uses: findings and fixes, foreign text made safe, array types, limits."""
