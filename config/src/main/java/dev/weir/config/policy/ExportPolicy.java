package dev.weir.config.policy;

/** How all that a search matches is answered as one stream. */
public record ExportPolicy(
    @ConfigKey(
            value = "true",
            doc =
                "Whether the gateway answers /{index}/_weir/export; if not, such requests go to a"
                    + " node.")
        boolean enabled,
    @ConfigKey(
            value = "8",
            min = "1",
            max = "10000",
            doc = "Exports under way at once; more are refused with 429.")
        int maxInFlight,
    @ConfigKey(
            value = "4",
            min = "1",
            max = "64",
            doc =
                "Pages that one export asks for side by side, as a client may say with slices=...")
        int defaultSlices,
    @ConfigKey(
            value = "1mb",
            min = "1kb",
            max = "64mb",
            doc =
                "What a page is meant to have. An export holds some two of them for each of its"
                    + " slices.")
        ByteSize targetPageBytes) {
  /** What a gateway does whose file does not say. */
  public static final ExportPolicy DEFAULT = new ExportPolicy(true, 8, 4, new ByteSize(1 << 20));
}
