package dev.weir.testkit.compare;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/1.1 client that sends exactly the bytes it is given, malformed ones too, over one
 * connection that it keeps while the server does. Cleartext only.
 */
final class RawHttpClient implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 30_000;
  private static final int FIRST_FINAL_STATUS = 200;

  private final InetSocketAddress address;
  private @Nullable Socket socket;
  private @Nullable InputStream in;

  RawHttpClient(URI base) {
    this.address = new InetSocketAddress(base.getHost(), base.getPort());
  }

  /**
   * Sends a request and reads the answer to it, which is {@link RawHttpResponse#noResponse} if the
   * server closes the connection or says nothing for long.
   *
   * @param request the bytes of the request
   * @param head whether the response has no body even if its headers announce one
   */
  RawHttpResponse send(byte[] request, boolean head) {
    boolean reused = socket != null;
    RawHttpResponse answer = attempt(request, head);
    // The server may have closed the idle connection: once more on a new one.
    return answer.status() == 0 && reused ? attempt(request, head) : answer;
  }

  private RawHttpResponse attempt(byte[] request, boolean head) {
    connect();
    try {
      return exchange(request, head);
    } catch (EOFException | SocketException | SocketTimeoutException e) {
      close();
      return RawHttpResponse.noResponse();
    } catch (IOException | NumberFormatException e) {
      close();
      return RawHttpResponse.malformed(String.valueOf(e.getMessage()));
    }
  }

  private void connect() {
    if (socket != null) {
      return;
    }
    try {
      Socket connected = new Socket();
      connected.setSoTimeout(TIMEOUT_MILLIS);
      connected.setTcpNoDelay(true);
      connected.connect(address, TIMEOUT_MILLIS);
      socket = connected;
      in = new BufferedInputStream(connected.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot connect to " + address + ": " + e.getMessage(), e);
    }
  }

  private RawHttpResponse exchange(byte[] request, boolean head) throws IOException {
    Socket connected = Objects.requireNonNull(socket);
    InputStream reader = Objects.requireNonNull(in);
    connected.getOutputStream().write(request);
    connected.getOutputStream().flush();
    RawHttpResponse answer = read(reader, head);
    while (answer.status() < FIRST_FINAL_STATUS) {
      answer = read(reader, head);
    }
    if (answer.header("connection").map("close"::equalsIgnoreCase).orElse(false)) {
      close();
    }
    return answer;
  }

  private RawHttpResponse read(InputStream reader, boolean head) throws IOException {
    String statusLine = line(reader);
    String[] parts = statusLine.split(" ", 3);
    if (parts.length < 2 || !(parts[0].equals("HTTP/1.1") || parts[0].equals("HTTP/1.0"))) {
      throw new IOException("got the status line [" + statusLine + "] (expected: HTTP/1.1 NNN)");
    }
    int status = Integer.parseInt(parts[1]);
    List<RawHttpResponse.Header> headers = new ArrayList<>();
    for (String line = line(reader); !line.isEmpty(); line = line(reader)) {
      int colon = line.indexOf(':');
      if (colon <= 0) {
        throw new IOException("got the header line [" + line + "] (expected: name: value)");
      }
      headers.add(
          new RawHttpResponse.Header(
              line.substring(0, colon).toLowerCase(Locale.ROOT),
              line.substring(colon + 1).strip()));
    }
    RawHttpResponse bare = new RawHttpResponse(status, headers, new byte[0]);
    boolean bodiless = head || status < FIRST_FINAL_STATUS || status == 204 || status == 304;
    return bodiless ? bare : new RawHttpResponse(status, headers, body(reader, bare));
  }

  private byte[] body(InputStream reader, RawHttpResponse bare) throws IOException {
    if (bare.header("transfer-encoding").map("chunked"::equalsIgnoreCase).orElse(false)) {
      return chunks(reader);
    }
    if (bare.header("content-length").isPresent()) {
      return exactly(reader, Integer.parseInt(bare.header("content-length").get()));
    }
    byte[] rest = reader.readAllBytes();
    close();
    return rest;
  }

  private static byte[] chunks(InputStream reader) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    while (true) {
      String size = line(reader);
      int semicolon = size.indexOf(';');
      int length =
          Integer.parseInt((semicolon < 0 ? size : size.substring(0, semicolon)).strip(), 16);
      if (length == 0) {
        while (!line(reader).isEmpty()) {
          // Trailers are not compared.
        }
        return all.toByteArray();
      }
      all.writeBytes(exactly(reader, length));
      line(reader);
    }
  }

  private static byte[] exactly(InputStream reader, int length) throws IOException {
    byte[] bytes = reader.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("got " + bytes.length + " bytes of a body (expected: " + length + ")");
    }
    return bytes;
  }

  private static String line(InputStream reader) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = reader.read(); next != '\n'; next = reader.read()) {
      if (next < 0) {
        throw new EOFException("the connection ended within a line or before any answer");
      }
      if (next != '\r') {
        line.write(next);
      }
    }
    return line.toString(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() {
    try {
      if (socket != null) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      socket = null;
      in = null;
    }
  }
}
