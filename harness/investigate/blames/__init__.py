"""Wrong blames by vote, measured with files whose truth is known."""
