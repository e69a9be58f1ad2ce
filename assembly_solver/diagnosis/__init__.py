"""What is true at a closed pose: freedoms, free motions, redundant mates."""
