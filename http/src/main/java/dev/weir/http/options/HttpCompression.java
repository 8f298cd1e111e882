package dev.weir.http.options;

/**
 * Which content codings responses may have.
 *
 * @param enabled whether any (a node's {@code http.compression})
 * @param level of gzip and deflate, 0 to 9 (a node's {@code http.compression_level})
 * @param zstd whether zstd for a client that names it; a node has none
 * @param zstdLevel of zstd, 1 to 22
 * @param minBytes a shorter body is not coded; a node codes all
 */
public record HttpCompression(
    boolean enabled, int level, boolean zstd, int zstdLevel, long minBytes) {
  /** Level of zstd: about gzip's level 3 in time, smaller in size. */
  private static final int ZSTD_LEVEL = 3;

  /** All bodies are coded. */
  public HttpCompression(boolean enabled, int level, boolean zstd) {
    this(enabled, level, zstd, ZSTD_LEVEL, 0);
  }

  /** A node's own settings, and zstd. */
  public static HttpCompression standard() {
    return new HttpCompression(true, 3, true);
  }
}
