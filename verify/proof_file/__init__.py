"""The proof file: what is proven of a log's events, with the events and the signed checkpoint it rests on."""
