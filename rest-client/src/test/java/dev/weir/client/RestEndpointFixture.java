package dev.weir.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A REST endpoint on loopback: {@code /echo} answers with what it got, {@code /letters/N} with N
 * letters, {@code /stall} with a part of a response, {@code /silence} with none, {@code /user} to
 * the user {@code u} alone.
 */
final class RestEndpointFixture implements AutoCloseable {
  final CountDownLatch stalled = new CountDownLatch(1);

  private final CountDownLatch end = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;
  private final String scheme;

  /**
   * Starts it.
   *
   * @param tls null for plain HTTP
   */
  RestEndpointFixture(@Nullable SSLContext tls) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0);
    if (tls == null) {
      scheme = "http";
      server = HttpServer.create(address, 0);
    } else {
      scheme = "https";
      HttpsServer secured = HttpsServer.create(address, 0);
      secured.setHttpsConfigurator(new HttpsConfigurator(tls));
      server = secured;
    }
    server.setExecutor(threads);
    server.createContext(
        "/echo",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          String type = String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type"));
          String name = exchange.getRequestMethod() + " " + exchange.getRequestURI();
          answer(exchange, 200, name + " " + type + " " + body);
        });
    server.createContext(
        "/letters/",
        exchange -> {
          String path = exchange.getRequestURI().getPath();
          answer(exchange, 200, "x".repeat(Integer.parseInt(path.substring(9))));
        });
    server.createContext("/stall", this::stall);
    server.createContext("/silence", this::awaitEnd);
    server.createContext(
        "/user",
        exchange -> {
          boolean isUser =
              "Basic dTpw".equals(exchange.getRequestHeaders().getFirst("Authorization"));
          answer(exchange, isUser ? 200 : 401, isUser ? "{}" : "Unauthorized" + "!".repeat(900));
        });
    server.start();
  }

  URI uri() {
    return URI.create(scheme + "://127.0.0.1:" + server.getAddress().getPort());
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private void stall(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 100);
    exchange.getResponseBody().write("{\"a\":".getBytes(StandardCharsets.UTF_8));
    exchange.getResponseBody().flush();
    stalled.countDown();
    awaitEnd(exchange);
  }

  private void awaitEnd(HttpExchange exchange) {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    exchange.close();
  }

  @Override
  public void close() {
    end.countDown();
    server.stop(0);
    threads.close();
  }
}
