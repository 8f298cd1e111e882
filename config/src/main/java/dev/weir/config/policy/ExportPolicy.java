package dev.weir.config.policy;

import java.time.Duration;

/** Exports: all hits of a search as one stream. */
public record ExportPolicy(
    @ConfigKey(
            value = "true",
            doc =
                "Whether the gateway answers /{index}/_weir/export. If not, such requests pass"
                    + " through to a node, which rejects them.")
        boolean enabled,
    @ConfigKey(
            value = "8",
            min = "1",
            max = "10000",
            doc = "Exports at once in this gateway. Further ones get 429.")
        int maxInFlight,
    @ConfigKey(
            value = "4",
            min = "1",
            max = "64",
            doc =
                "Pages that one export reads in parallel. A client may ask for fewer with"
                    + " slices=N.")
        int defaultSlices,
    @ConfigKey(
            value = "1mb",
            min = "1kb",
            max = "64mb",
            doc =
                "Size of a page that the gateway aims at. One export holds about two pages for each"
                    + " slice.")
        ByteSize targetPageBytes,
    @ConfigKey(
            value = "6",
            min = "1",
            max = "10000",
            doc =
                "Exports at once of one client address. Further ones get 429, so that one client"
                    + " can't keep all others from exporting.")
        int maxInFlightPerAddress,
    @ConfigKey(
            value = "1m",
            min = "1s",
            max = "1h",
            doc =
                "The gateway ends an export whose client takes none of the waiting pages within"
                    + " this time.")
        Duration drainTimeout,
    @ConfigKey(
            value = "",
            secret = true,
            doc =
                "Secret that signs cursors, of at least 16 characters. Gateways with the same"
                    + " secret accept each other's cursors. Empty: a random one for each start, so"
                    + " a cursor is valid only on the gateway that sent it, until that stops. Keep"
                    + " it in a file: ${file:PATH}.")
        String cursorSecret) {
  public static final ExportPolicy DEFAULT =
      new ExportPolicy(true, 8, 4, new ByteSize(1 << 20), 6, Duration.ofMinutes(1), "");
}
