package dev.weir.rest;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/** Sends a request byte for byte to a node, odd paths too, and records the answer. */
final class RawHttp {
  private RawHttp() {}

  static RecordedNodeResponse ask(String host, int port, RecordedNodeResponse asked)
      throws IOException {
    byte[] body = asked.body().getBytes(StandardCharsets.UTF_8);
    StringBuilder head =
        new StringBuilder(asked.method() + " " + asked.uri() + " HTTP/1.1\r\n")
            .append("Host: node\r\nConnection: close\r\nContent-Length: " + body.length + "\r\n");
    asked.headers().forEach(h -> head.append(h.getKey() + ": " + h.getValue() + "\r\n"));
    try (Socket socket = new Socket(host, port)) {
      OutputStream out = socket.getOutputStream();
      out.write(head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8));
      out.write(body);
      out.flush();
      return parse(asked, socket.getInputStream().readAllBytes());
    }
  }

  private static RecordedNodeResponse parse(RecordedNodeResponse asked, byte[] all) {
    String text = new String(all, StandardCharsets.ISO_8859_1);
    int end = text.indexOf("\r\n\r\n");
    if (end < 0) {
      throw new IllegalStateException("got no answer from the node to " + asked);
    }
    String[] head = text.substring(0, end).split("\r\n");
    String contentType =
        Arrays.stream(head)
            .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-type:"))
            .map(line -> line.substring(line.indexOf(':') + 1).strip())
            .findFirst()
            .orElse("");
    return asked.answered(
        Integer.parseInt(head[0].split(" ")[1]),
        contentType,
        Arrays.copyOfRange(all, end + 4, all.length));
  }
}
