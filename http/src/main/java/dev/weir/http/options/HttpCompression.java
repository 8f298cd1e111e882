package dev.weir.http.options;

/**
 * Which content codings responses may have.
 *
 * @param enabled whether to compress at all (a node's {@code http.compression})
 * @param level of gzip and deflate, 0 to 9 (a node's {@code http.compression_level})
 * @param zstd whether to use zstd for a client that names it; a node does not support it
 * @param zstdLevel of zstd, 1 to 22
 * @param minBytes a shorter body is not compressed; a node compresses every body
 */
public record HttpCompression(
    boolean enabled, int level, boolean zstd, int zstdLevel, long minBytes) {
  /** The default level of zstd: takes about the time of gzip's level 3, for smaller output. */
  private static final int ZSTD_LEVEL = 3;

  /** Compresses bodies of any length. */
  public HttpCompression(boolean enabled, int level, boolean zstd) {
    this(enabled, level, zstd, ZSTD_LEVEL, 0);
  }

  /** Returns a node's default settings, with zstd enabled. */
  public static HttpCompression standard() {
    return new HttpCompression(true, 3, true);
  }
}
