package dev.weir.protocol;

/** The fixed head of the frame that is being read; one a channel, overwritten by the next. */
final class FrameHeader {
  /** How many bytes follow the length field. */
  int length;

  long requestId;
  int status;
  int versionId;

  /** How many bytes the variable header takes; never more than {@link #remainingBytes()}. */
  int variableLength;

  /** How many bytes follow the head. */
  int remainingBytes() {
    return length - FrameLayout.MIN_LENGTH;
  }
}
