package dev.weir.protocol;

/**
 * The layout of a frame, as in OpenSearch's {@code TcpHeader} and {@code TransportStatus}.
 *
 * <pre>
 *   'E' 'S' | int32 length of the rest | int64 request id | byte status | int32 version
 *   | int32 length of the variable header | variable header | payload
 * </pre>
 *
 * A length of -1 is a keep-alive ping, which ends there.
 */
public final class FrameLayout {
  /** Marker and length: the bytes that the length does not include. */
  public static final int PREFIX_BYTES = 6;

  /** All bytes before the variable header. */
  public static final int HEADER_BYTES = 23;

  /** The length field of the smallest frame. */
  static final int MIN_LENGTH = HEADER_BYTES - PREFIX_BYTES;

  /** The offset of the request id, which a response repeats. */
  public static final int REQUEST_ID_OFFSET = 6;

  /** The offset of the status bits. */
  public static final int STATUS_OFFSET = 14;

  /** The offset of the variable header's length. */
  public static final int VARIABLE_LENGTH_OFFSET = 19;

  static final int LENGTH_OFFSET = 2;
  static final int VERSION_OFFSET = 15;

  /** The first two bytes of every frame. */
  public static final short MARKER = ('E' << 8) | 'S';

  static final int PING = -1;

  /** The status bit of responses. */
  public static final int RESPONSE = 1;

  static final int ERROR = 2;
  static final int COMPRESSED = 4;
  static final int HANDSHAKE = 8;

  private FrameLayout() {}
}
