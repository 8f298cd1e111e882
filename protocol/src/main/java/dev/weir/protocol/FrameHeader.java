package dev.weir.protocol;

/**
 * The fixed header of the frame that is being read; one for each channel, reused for every frame.
 */
final class FrameHeader {
  /** The number of bytes after the length field. */
  int length;

  long requestId;
  int status;
  int versionId;

  /** The length of the variable header in bytes; never more than {@link #remainingBytes()}. */
  int variableLength;

  /** Returns the number of bytes after the fixed header. */
  int remainingBytes() {
    return length - FrameLayout.MIN_LENGTH;
  }
}
