package dev.weir.config.policy;

/** Which answers to clients are coded, and how much work that is worth. */
public record CompressionPolicy(
    @ConfigKey(
            value = "true",
            doc =
                "Whether answers are coded for clients that accept it, as a node's"
                    + " http.compression.")
        boolean enabled,
    @ConfigKey(
            value = "1kb",
            min = "0b",
            max = "1gb",
            doc =
                "An answer with a shorter body goes out as it is; 0b: all are coded, as a node"
                    + " does.")
        ByteSize minBodyBytes,
    @ConfigKey(
            value = "3",
            min = "1",
            max = "9",
            doc = "The level of gzip and deflate, as a node's http.compression_level.")
        int gzipLevel,
    @ConfigKey(
            value = "true",
            doc = "Whether a client gets zstd that names it in Accept-Encoding; a node has none.")
        boolean zstdEnabled,
    @ConfigKey(value = "3", min = "1", max = "12", doc = "The level of zstd.") int zstdLevel) {}
