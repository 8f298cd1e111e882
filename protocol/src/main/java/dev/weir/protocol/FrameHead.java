package dev.weir.protocol;

/** The fixed head of the frame that is being read; one a channel, overwritten by the next. */
final class FrameHead {
  /** How many bytes follow the length field. */
  int length;

  long requestId;
  int status;
  int versionId;

  /** How many bytes the variable header takes; never more than {@link #rest()}. */
  int variableLength;

  /** How many bytes follow the head. */
  int rest() {
    return length - Wire.LEAST_LENGTH;
  }
}
