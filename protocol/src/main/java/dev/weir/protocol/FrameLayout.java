package dev.weir.protocol;

/**
 * The layout of a frame, as OpenSearch's {@code TcpHeader} and {@code TransportStatus} have it.
 *
 * <pre>
 *   'E' 'S' | int32 length of the rest | int64 request id | byte status | int32 version
 *   | int32 length of the variable header | variable header | payload
 * </pre>
 *
 * A length of -1 is a keep-alive ping, which ends there.
 */
public final class FrameLayout {
  /** Marker and length: the bytes that the length does not count. */
  public static final int PREFIX_BYTES = 6;

  /** Everything before the variable header. */
  public static final int HEADER_BYTES = 23;

  /** What the length of the smallest frame is. */
  static final int MIN_LENGTH = HEADER_BYTES - PREFIX_BYTES;

  /** Where the number is that ties a response to its request. */
  public static final int REQUEST_ID_OFFSET = 6;

  /** Where the bits are that say what the frame is. */
  public static final int STATUS_OFFSET = 14;

  /** Where the length of the variable header is. */
  public static final int VARIABLE_LENGTH_OFFSET = 19;

  static final int LENGTH_OFFSET = 2;
  static final int VERSION_OFFSET = 15;

  /** What every frame begins with. */
  public static final short MARKER = ('E' << 8) | 'S';

  static final int PING = -1;

  /** The bit of the status that a response has. */
  public static final int RESPONSE = 1;

  static final int ERROR = 2;
  static final int COMPRESSED = 4;
  static final int HANDSHAKE = 8;

  private FrameLayout() {}
}
