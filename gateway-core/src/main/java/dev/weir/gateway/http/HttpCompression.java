package dev.weir.gateway.http;

/**
 * Which content codings responses may have.
 *
 * @param enabled whether any (a node's {@code http.compression})
 * @param level of gzip and deflate, 0 to 9 (a node's {@code http.compression_level})
 * @param zstd whether zstd for a client that names it; a node has none
 */
public record HttpCompression(boolean enabled, int level, boolean zstd) {

  /** A node's own settings, and zstd. */
  public static HttpCompression standard() {
    return new HttpCompression(true, 3, true);
  }
}
