package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A client that sends bytes exactly as given, and reads one response at a time. */
public final class RawHttpConnection implements AutoCloseable {

  /** A response as it came. */
  public static final class Response {
    private final String statusLine;
    private final String head;
    private final Map<String, String> headers;
    private final byte[] body;

    Response(String statusLine, String head, Map<String, String> headers, byte[] body) {
      this.statusLine = statusLine;
      this.head = head;
      this.headers = headers;
      this.body = body;
    }

    public String statusLine() {
      return statusLine;
    }

    /** Status line and headers, a line feed after each. */
    String head() {
      return head;
    }

    byte[] body() {
      return body;
    }

    public int status() {
      return Integer.parseInt(statusLine.split(" ", -1)[1]);
    }

    public String text() {
      return new String(body, StandardCharsets.UTF_8);
    }

    public String header(String name) {
      return headers.getOrDefault(name, "");
    }
  }

  private final Socket socket;
  private final InputStream in;

  RawHttpConnection(InetSocketAddress address) throws IOException {
    socket = new Socket();
    socket.setReceiveBufferSize(64 << 10);
    socket.connect(address);
    socket.setSoTimeout((int) (HttpServerFixture.PATIENCE_SECONDS * 1000));
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** A GET request's text. */
  public static String get(String uri, String... headers) {
    return request("GET", uri, "", headers);
  }

  public static String post(String uri, String body, String... headers) {
    return request("POST", uri, body, headers);
  }

  public static String request(String method, String uri, String body, String... headers) {
    StringBuilder text = new StringBuilder(method + " " + uri + " HTTP/1.1\r\nHost: test\r\n");
    for (String header : headers) {
      text.append(header).append("\r\n");
    }
    if (!body.isEmpty()) {
      text.append("Content-Length: ")
          .append(body.getBytes(StandardCharsets.UTF_8).length)
          .append("\r\n");
    }
    return text.append("\r\n").append(body).toString();
  }

  public RawHttpConnection send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  public RawHttpConnection send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  /** Sends until the other side closes or stops reading; false when it closed. */
  public boolean sendUntilRefused(byte[] bytes, int times) {
    try {
      for (int i = 0; i < times; i++) {
        send(bytes);
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Sends as much as the other side takes. */
  public void sendQuietly(String text) {
    sendUntilRefused(text.getBytes(StandardCharsets.ISO_8859_1), 1);
  }

  /** Reads one response, whose request was not HEAD. */
  public Response read() throws IOException {
    return read(true);
  }

  /** Reads one response without a body, whatever its length says. */
  public Response readHead() throws IOException {
    return read(false);
  }

  private Response read(boolean withBody) throws IOException {
    StringBuilder head = new StringBuilder();
    String statusLine = line();
    head.append(statusLine).append('\n');
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String line = line(); !line.isEmpty(); line = line()) {
      head.append(line).append('\n');
      int colon = line.indexOf(':');
      headers.put(line.substring(0, colon), line.substring(colon + 1).trim());
    }
    byte[] body = new byte[0];
    if (withBody && !statusLine.contains(" 100 ")) {
      if (headers
          .getOrDefault("transfer-encoding", "")
          .toLowerCase(Locale.ROOT)
          .equals("chunked")) {
        body = chunked();
      } else if (headers.containsKey("content-length")) {
        int length = Integer.parseInt(headers.get("content-length"));
        body = in.readNBytes(length);
        if (body.length < length) {
          throw new EOFException("got " + body.length + " bytes (expected: " + length + ")");
        }
      } else {
        body = in.readAllBytes();
      }
    }
    return new Response(statusLine, head.toString(), headers, body);
  }

  private byte[] chunked() throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      int size = Integer.parseInt(line(), 16);
      byte[] chunk = in.readNBytes(size);
      if (chunk.length < size) {
        throw new EOFException("chunk cut off");
      }
      body.writeBytes(chunk);
      assertThat(line()).isEmpty();
      if (size == 0) {
        return body.toByteArray();
      }
    }
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("connection closed after: " + line);
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  /** Reads at most so many bytes. */
  public int readSome(byte[] into) throws IOException {
    return in.read(into);
  }

  /** Waits until the server closes the connection; nothing more may come before. */
  public void expectClosed() throws IOException {
    int next;
    try {
      next = in.read();
    } catch (SocketException e) {
      next = -1;
    }
    assertThat(next).as("end of stream").isEqualTo(-1);
  }

  /** Goes away with a reset. */
  public void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
