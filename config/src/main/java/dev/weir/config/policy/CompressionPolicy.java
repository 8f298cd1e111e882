package dev.weir.config.policy;

/** Which responses are compressed, and how strongly. */
public record CompressionPolicy(
    @ConfigKey(
            value = "true",
            doc =
                "Whether the gateway compresses responses for clients that accept it, like"
                    + " http.compression of a node.")
        boolean enabled,
    @ConfigKey(
            value = "1kb",
            min = "0b",
            max = "1gb",
            doc =
                "Responses with a shorter body are sent uncompressed. 0b: compress all, as a node"
                    + " does.")
        ByteSize minBodyBytes,
    @ConfigKey(
            value = "3",
            min = "1",
            max = "9",
            doc =
                "Compression level of gzip and deflate, like http.compression_level of a node: 1 is"
                    + " fastest, 9 is smallest.")
        int gzipLevel,
    @ConfigKey(
            value = "true",
            doc =
                "Whether clients that list zstd in Accept-Encoding get it. Nodes do not offer"
                    + " zstd.")
        boolean zstdEnabled,
    @ConfigKey(
            value = "3",
            min = "1",
            max = "12",
            doc = "Compression level of zstd: 1 is fastest, 12 is smallest.")
        int zstdLevel) {}
