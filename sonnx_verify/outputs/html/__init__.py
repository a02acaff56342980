"""The report as a folder of HTML pages: no server, no network, no clock."""
