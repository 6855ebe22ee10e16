"""What `plan` prints."""
