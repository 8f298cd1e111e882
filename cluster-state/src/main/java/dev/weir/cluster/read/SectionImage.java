package dev.weir.cluster.read;

import org.opensearch.Version;

/**
 * The bytes of one section in the newest response, to compare those of the next response with.
 * Confined to one thread.
 */
final class SectionImage {
  /** Larger arrays than needed by this factor are given back. */
  private static final int MAX_SLACK = 2;

  private byte[] bytes = {};
  private int length;
  private Version version = Version.CURRENT;

  /**
   * Returns whether the next bytes of a response are those from {@code from} to {@code to} here.
   */
  boolean isNextIn(ResponseInput in, int from, int to) {
    return version.equals(in.version()) && in.startsWith(bytes, from, to);
  }

  /** Takes the bytes of a response from a position up to its current one. */
  void replace(ResponseInput in, int from) {
    length = in.position() - from;
    if (bytes.length < length || bytes.length / MAX_SLACK > length) {
      bytes = new byte[length + length / 8]; // the next response may be a little longer
    }
    in.copyFrom(from, bytes);
    version = in.version();
  }

  int length() {
    return length;
  }
}
