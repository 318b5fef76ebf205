"""What any program that runs for hours needs, whatever it computes: files, errors, signals, logs. No study is in it."""
