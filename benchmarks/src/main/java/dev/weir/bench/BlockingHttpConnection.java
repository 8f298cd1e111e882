package dev.weir.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A blocking HTTP/1.1 connection that takes little CPU time from the load generator. Confined to
 * one thread.
 */
public final class BlockingHttpConnection implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 60_000;

  /** How many of a body's first bytes are at hand where bodies are not kept. */
  private static final int BEGINNING = 128;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private final byte[] line = new byte[8192];
  private long bodyBytes;
  private boolean failed;
  private boolean shouldClose;
  private String error = "";
  private final boolean retainBodies;
  private byte[] body = {};
  private final byte[] beginning = new byte[BEGINNING];

  public BlockingHttpConnection(InetSocketAddress address) throws IOException {
    this(connect(address), false);
  }

  private BlockingHttpConnection(Socket socket, boolean keepsBodies) throws IOException {
    this.socket = socket;
    this.retainBodies = keepsBodies;
    in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    out = socket.getOutputStream();
  }

  /** Connects, and keeps the body of each response until the next one. */
  public static BlockingHttpConnection withBodies(InetSocketAddress address) throws IOException {
    return new BlockingHttpConnection(connect(address), true);
  }

  /** Connects with TLS, if a context is given. */
  public static BlockingHttpConnection secured(InetSocketAddress address, @Nullable SSLContext tls)
      throws IOException {
    Socket plain = connect(address);
    if (tls == null) {
      return new BlockingHttpConnection(plain, false);
    }
    Socket encrypted =
        tls.getSocketFactory()
            .createSocket(plain, address.getHostString(), address.getPort(), true);
    return new BlockingHttpConnection(encrypted, false);
  }

  private static Socket connect(InetSocketAddress address) throws IOException {
    Socket socket = new Socket();
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.connect(address, TIMEOUT_MILLIS);
    return socket;
  }

  /** Sends a request and reads the whole response; returns its status. */
  public int exchange(byte[] request) throws IOException {
    out.write(request);
    String head = readLine();
    int status = Integer.parseInt(head.substring(9, 12));
    long length = -1;
    boolean chunked = false;
    shouldClose = false;
    for (String header = readLine(); !header.isEmpty(); header = readLine()) {
      String lower = header.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Long.parseLong(header.substring(15).strip());
      } else if (lower.startsWith("transfer-encoding:")) {
        chunked = lower.contains("chunked");
      } else if (lower.startsWith("connection:")) {
        shouldClose = lower.contains("close");
      }
    }
    bodyBytes = 0;
    failed = status >= 300;
    error = "";
    if (chunked) {
      for (int size = chunkSize(); size > 0; size = chunkSize()) {
        skip(size);
        readLine();
      }
      String trailer;
      do {
        trailer = readLine();
      } while (!trailer.isEmpty());
    } else {
      skip(Math.max(0, length));
    }
    return status;
  }

  /** Returns the length of the last response's body in bytes. */
  public long bodyBytes() {
    return bodyBytes;
  }

  /** Returns whether the server closes the connection after the last response. */
  public boolean shouldClose() {
    return shouldClose;
  }

  private int chunkSize() throws IOException {
    return Integer.parseInt(readLine().strip(), 16);
  }

  /** Returns the last response's body if that was an error; otherwise empty. */
  public String error() {
    return error;
  }

  /** Returns the last response's body; empty unless bodies are kept. */
  public String body() {
    return body(Integer.MAX_VALUE);
  }

  /** Returns the beginning of {@link #body()}, of at most so many bytes. */
  @SuppressWarnings("deprecation") // decodes ISO 8859-1: cheap, and sufficient to search for ASCII
  public String body(int maxBytes) {
    return retainBodies ? new String(body, 0, 0, (int) Math.min(maxBytes, bodyBytes)) : "";
  }

  /**
   * Returns whether the first bytes of the last response's body, 128 at most, contain some others.
   * Cheap. True of no bytes; otherwise false of an error.
   */
  public boolean hasEarly(byte[] wanted) {
    byte[] bytes = retainBodies ? body : beginning;
    int end = failed ? 0 : (int) Math.min(bodyBytes, BEGINNING);
    for (int at = 0; at + wanted.length <= end; at++) {
      if (Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
        return true;
      }
    }
    return wanted.length == 0;
  }

  /** Returns the first bytes of the last response's body, 128 at most; all of an error. */
  public String beginning() {
    if (!error.isEmpty()) {
      return error;
    }
    byte[] bytes = retainBodies ? body : beginning;
    return new String(bytes, 0, (int) Math.min(bodyBytes, BEGINNING), StandardCharsets.UTF_8);
  }

  private void skip(long bytes) throws IOException {
    if (retainBodies) {
      int end = (int) (bodyBytes + bytes);
      if (end > body.length) {
        body = Arrays.copyOf(body, Math.max(end, 2 * body.length));
      }
      if (in.readNBytes(body, (int) bodyBytes, (int) bytes) < bytes) {
        throw new EOFException("got the end of the connection (expected: the rest of an answer)");
      }
    } else if (failed) {
      error = new String(in.readNBytes((int) bytes), StandardCharsets.UTF_8);
    } else {
      int kept = (int) Math.min(bytes, Math.max(0, BEGINNING - bodyBytes));
      in.skipNBytes(bytes - in.readNBytes(beginning, (int) Math.min(bodyBytes, BEGINNING), kept));
    }
    bodyBytes += bytes;
  }

  @SuppressWarnings("deprecation") // the constructor from ASCII bytes is the cheap one
  private String readLine() throws IOException {
    int n = 0;
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("got the end of the connection (expected: an answer)");
      }
      line[n++] = (byte) b;
    }
    return new String(line, 0, 0, n > 0 && line[n - 1] == '\r' ? n - 1 : n);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
