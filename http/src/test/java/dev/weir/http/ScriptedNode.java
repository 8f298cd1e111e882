package dev.weir.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A node's REST port that handles each connection as the test scripts it. */
public final class ScriptedNode implements AutoCloseable {
  private static final Queue<Socket> TAKEN = new ConcurrentLinkedQueue<>();

  /** Handles one connection, which is closed afterwards. */
  public interface Script {
    void serve(Conversation conversation) throws IOException;
  }

  /** A request as received. */
  public static final class Request {
    private final String line;
    private final Map<String, String> headers;
    private final byte[] body;

    Request(String line, Map<String, String> headers, byte[] body) {
      this.line = line;
      this.headers = headers;
      this.body = body;
    }

    String line() {
      return line;
    }

    public Map<String, String> headers() {
      return headers;
    }

    public byte[] body() {
      return body;
    }

    public String header(String name) {
      return headers.getOrDefault(name, "");
    }

    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  /** One connection. */
  public static final class Conversation {
    private final Socket socket;
    private final InputStream in;

    /** Returns how many connections were opened before. */
    final int index;

    Conversation(Socket socket, int index) throws IOException {
      this.socket = socket;
      this.index = index;
      this.in = new BufferedInputStream(socket.getInputStream());
    }

    /** Reads a complete request. */
    public Request read() throws IOException {
      Request head = readHead();
      return new Request(head.line, head.headers, readBody(head));
    }

    public Request readHead() throws IOException {
      String first = line();
      Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      for (String line = line(); !line.isEmpty(); line = line()) {
        int colon = line.indexOf(':');
        headers.put(line.substring(0, colon), line.substring(colon + 1).trim());
      }
      return new Request(first, headers, new byte[0]);
    }

    public byte[] readBody(Request head) throws IOException {
      if (head.header("transfer-encoding").equals("chunked")) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (byte[] chunk = readChunk(); chunk.length > 0; chunk = readChunk()) {
          body.writeBytes(chunk);
        }
        return body.toByteArray();
      }
      String length = head.header("content-length");
      return length.isEmpty() ? new byte[0] : in.readNBytes(Integer.parseInt(length));
    }

    /** Reads one chunk of a chunked body; returns an empty one at the end. */
    byte[] readChunk() throws IOException {
      byte[] chunk = in.readNBytes(Integer.parseInt(line(), 16));
      line();
      return chunk;
    }

    int readSome(byte[] into) throws IOException {
      return in.read(into);
    }

    public void answer(int status, String body, String... headers) throws IOException {
      StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " Text\r\n");
      for (String header : headers) {
        head.append(header).append("\r\n");
      }
      head.append("content-length: ").append(body.length()).append("\r\n\r\n").append(body);
      write(head.toString());
    }

    public void write(String text) throws IOException {
      write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void write(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
    }

    /** Waits until the peer has closed. */
    public void awaitClose() throws IOException {
      while (in.read() >= 0) {
        // discards the data
      }
    }

    void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
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
  }

  final AtomicInteger connections = new AtomicInteger();
  private final ServerSocket listening;

  public ScriptedNode(Script script) throws IOException {
    listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(() -> accept(script));
  }

  /** Answers every request on every connection. */
  public static ScriptedNode answering(int status, String body) throws IOException {
    return new ScriptedNode(conversation -> {
      while (true) {
        conversation.read();
        conversation.answer(status, body);
      }
    });
  }

  /** Returns an address that refuses connections, and that nobody else gets. */
  public static InetSocketAddress nowhere() throws IOException {
    Socket taken = new Socket();
    taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    TAKEN.add(taken); // bound until the process ends, without listening
    return (InetSocketAddress) taken.getLocalSocketAddress();
  }

  private void accept(Script script) {
    try {
      while (true) {
        Socket socket = listening.accept();
        Conversation conversation = new Conversation(socket, connections.getAndIncrement());
        Thread.ofVirtual()
            .start(() -> {
              try (socket) {
                script.serve(conversation);
              } catch (IOException e) {
                // the peer disconnected
              }
            });
      }
    } catch (IOException e) {
      // closed
    }
  }

  public InetSocketAddress address() {
    return (InetSocketAddress) listening.getLocalSocketAddress();
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
