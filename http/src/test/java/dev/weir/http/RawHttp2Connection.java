package dev.weir.http;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;

/** A client that writes HTTP/2 frames by hand, so that it can break every rule. */
final class RawHttp2Connection implements AutoCloseable {
  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int PING = 6;
  static final int GOAWAY = 7;
  static final int WINDOW_UPDATE = 8;
  static final int CONTINUATION = 9;

  static final int ACK = 1;
  static final int END_STREAM = 1;
  static final int END_HEADERS = 4;

  static final int PROTOCOL_ERROR = 1;
  static final int STREAM_CLOSED = 5;
  static final int ENHANCE_YOUR_CALM = 11;

  /** A frame as received. */
  record Frame(int type, int flags, int stream, ByteBuffer payload) {
    /** Returns the error code of a RST_STREAM or GOAWAY. */
    int error() {
      return payload.getInt(type == GOAWAY ? 4 : 0);
    }

    boolean is(int wanted, int ofStream) {
      return type == wanted && stream == ofStream;
    }
  }

  private final Socket socket;
  private final DataInputStream in;

  /** Connects, and exchanges preface and settings. */
  RawHttp2Connection(InetSocketAddress address) throws IOException {
    socket = new Socket(address.getAddress(), address.getPort());
    socket.setSoTimeout(Math.toIntExact(HttpServerFixture.PATIENCE_SECONDS * 1000));
    socket.setTcpNoDelay(true);
    in = new DataInputStream(socket.getInputStream());
    write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    send(SETTINGS, 0, 0);
    await(frame -> frame.type() == SETTINGS && frame.flags() == 0);
    send(SETTINGS, ACK, 0);
  }

  /** Sends a frame. */
  RawHttp2Connection send(int type, int flags, int stream, byte... payload) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
    frame.put((byte) (payload.length >> 16)).putShort((short) payload.length);
    frame.put((byte) type).put((byte) flags).putInt(stream).put(payload);
    return write(frame.array());
  }

  /** Sends HEADERS that end the headers of a stream. */
  RawHttp2Connection headers(int stream, boolean last, byte[] block) throws IOException {
    return send(HEADERS, END_HEADERS | (last ? END_STREAM : 0), stream, block);
  }

  private RawHttp2Connection write(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  /** Encodes headers, given as names and values in turn, without compression. */
  static byte[] block(String... namesAndValues) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      block.write(0); // a literal header field without indexing, with a new name
      literal(block, namesAndValues[i]);
      literal(block, namesAndValues[i + 1]);
    }
    return block.toByteArray();
  }

  private static void literal(ByteArrayOutputStream block, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    if (bytes.length > 126) {
      throw new IllegalArgumentException("got " + bytes.length + " bytes (expected: at most 126)");
    }
    block.write(bytes.length);
    block.writeBytes(bytes);
  }

  /** Encodes the headers of a request, with further ones as names and values in turn. */
  static byte[] request(String method, String path, String... further) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    block.writeBytes(
        block(":method", method, ":scheme", "http", ":path", path, ":authority", "test"));
    block.writeBytes(block(further));
    return block.toByteArray();
  }

  /** Reads until a frame matches. */
  Frame await(Predicate<Frame> wanted) throws IOException {
    StringBuilder seen = new StringBuilder();
    while (true) {
      Frame frame;
      try {
        frame = read();
      } catch (EOFException | SocketException e) {
        throw new IOException("got the end of the connection after frames " + seen, e);
      }
      if (wanted.test(frame)) {
        return frame;
      }
      seen.append(frame.type()).append('/').append(frame.stream()).append(' ');
    }
  }

  Frame awaitGoAway() throws IOException {
    return await(frame -> frame.type() == GOAWAY);
  }

  Frame awaitReset(int stream) throws IOException {
    return await(frame -> frame.is(RST_STREAM, stream));
  }

  /** Reads the DATA of a stream up to its end. */
  String awaitBody(int stream) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    Frame last;
    do {
      last =
          await(frame ->
              frame.is(DATA, stream)
                  || (frame.is(HEADERS, stream) && (frame.flags() & END_STREAM) != 0));
      if (last.type() == DATA) {
        body.writeBytes(last.payload().array());
      }
    } while ((last.flags() & END_STREAM) == 0);
    return body.toString(StandardCharsets.UTF_8);
  }

  /** Reads until the server has closed the connection without a reset. */
  void awaitClose() throws IOException {
    while (in.read() >= 0) {
      // discards the data
    }
  }

  private Frame read() throws IOException {
    int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
    int type = in.readUnsignedByte();
    int flags = in.readUnsignedByte();
    int stream = in.readInt();
    return new Frame(type, flags, stream, ByteBuffer.wrap(in.readNBytes(length)));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
