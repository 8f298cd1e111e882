package dev.weir.gateway.network;

import dev.weir.config.policy.HostPort;
import dev.weir.config.policy.HttpPolicy;
import dev.weir.http.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The address that clients are listened for on: from the start, or, where other gateways may listen
 * on it too, once this one is ready to answer. Safe on any thread.
 */
public final class ClientListener implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ClientListener.class);
  private static final Duration RETRY_INTERVAL = Duration.ofMillis(50);

  private final HostPort listen;
  private final HttpServer server;
  private volatile InetSocketAddress address;
  private volatile @Nullable String notListeningReason;
  private volatile boolean closed;

  private ClientListener(HostPort listen, HttpServer server, InetSocketAddress address) {
    this.listen = listen;
    this.server = server;
    this.address = address;
  }

  /**
   * Listens, now or once the gateway is ready.
   *
   * @throws IOException when it should listen now and can't
   */
  public static ClientListener start(HttpPolicy policy, HttpServer server, BooleanSupplier ready)
      throws IOException {
    InetSocketAddress wanted = socketAddress(policy.listen());
    if (!policy.reusePort()) {
      try {
        return new ClientListener(policy.listen(), server, server.bind(wanted));
      } catch (IOException e) {
        throw listenFailure("http.listen", policy.listen(), e);
      }
    }
    ClientListener port = new ClientListener(policy.listen(), server, wanted);
    port.notListeningReason =
        "not listening yet: the port is shared, so the cluster must be known first";
    Thread.ofVirtual().name("weir-listen").start(() -> port.listenWhenReady(ready));
    return port;
  }

  /** Tries until it is done: who holds the port without sharing it may go away. */
  private void listenWhenReady(BooleanSupplier ready) {
    try {
      while (!closed && !(ready.getAsBoolean() && tryListen())) {
        Thread.sleep(RETRY_INTERVAL);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized boolean tryListen() {
    if (closed) {
      return true;
    }
    try {
      address = server.bindShared(address);
      notListeningReason = null;
      LOGGER.info("listening on {}, which other gateways may share", listen);
      return true;
    } catch (IOException e) {
      String why = String.valueOf(listenFailure("http.listen", listen, e).getMessage());
      if (!why.equals(notListeningReason)) {
        LOGGER.error("{}", why);
      }
      notListeningReason = why;
      return false;
    }
  }

  /** Where it listens, or will. */
  public InetSocketAddress address() {
    return address;
  }

  /** Why nobody is listened for; null when somebody is. */
  public @Nullable String notListeningReason() {
    return notListeningReason;
  }

  /** Lets other gateways that share the port have what connects from now on. */
  public synchronized void stopAccepting() {
    closed = true;
    server.yieldPort();
  }

  @Override
  public synchronized void close() {
    closed = true;
  }

  public static IOException listenFailure(String key, HostPort listen, IOException cause) {
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return new IOException(
        key + ": got " + listen + ": " + root.getMessage() + " (expected: a free address and port)",
        cause);
  }

  public static InetSocketAddress socketAddress(HostPort listen) {
    return new InetSocketAddress(listen.host(), listen.port());
  }
}
