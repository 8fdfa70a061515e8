"""Files with other names and values, and the same of everything that a reader may stumble over."""
