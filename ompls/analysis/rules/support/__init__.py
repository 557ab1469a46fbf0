"""What the rules share: the framework, flow analysis, the state of device storage.  No rules in here."""
