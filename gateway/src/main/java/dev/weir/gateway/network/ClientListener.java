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
 * Opens the REST port: at the start, or, on a port that gateways share, when this gateway is ready
 * to serve requests. Safe on any thread.
 */
public final class ClientListener implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ClientListener.class);
  private static final Duration RETRY_INTERVAL = Duration.ofMillis(50);

  private final HostPort listen;
  private final HttpServer server;
  private final boolean shared;
  private final BooleanSupplier ready;
  private volatile InetSocketAddress address;
  private volatile @Nullable String notListeningReason;
  private volatile boolean closed;

  private ClientListener(
      HttpPolicy policy, HttpServer server, BooleanSupplier ready, InetSocketAddress address) {
    this.listen = policy.listen();
    this.server = server;
    this.shared = policy.reusePort();
    this.ready = ready;
    this.address = address;
  }

  /**
   * Opens the port, at once or when the gateway is ready.
   *
   * @throws IOException when the port can't be opened at once
   */
  public static ClientListener start(HttpPolicy policy, HttpServer server, BooleanSupplier ready)
      throws IOException {
    InetSocketAddress configured = socketAddress(policy.listen());
    if (!policy.reusePort()) {
      try {
        return new ClientListener(policy, server, ready, server.bind(configured));
      } catch (IOException e) {
        throw listenFailure("http.listen", policy.listen(), e);
      }
    }
    ClientListener port = new ClientListener(policy, server, ready, configured);
    port.startListeningWhenReady();
    return port;
  }

  private void startListeningWhenReady() {
    notListeningReason =
        "not listening yet: the port is shared, so the cluster must be known first";
    Thread.ofVirtual().name("weir-listen").start(this::listenWhenReady);
  }

  /** Retries until it succeeds: a process that holds the port without sharing it may end. */
  private void listenWhenReady() {
    try {
      while (!closed && !(ready.getAsBoolean() && tryListen())) {
        Thread.sleep(RETRY_INTERVAL);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized boolean tryListen() {
    if (closed || notListeningReason == null) { // another thread has opened it
      return true;
    }
    try {
      address = server.bindShared(address);
      notListeningReason = null;
      LOGGER.info("listening on {}, which other gateways may share", listen);
      return true;
    } catch (IOException e) {
      String reason = String.valueOf(listenFailure("http.listen", listen, e).getMessage());
      if (!reason.equals(notListeningReason)) {
        LOGGER.error("{}", reason);
      }
      notListeningReason = reason;
      return false;
    }
  }

  /** The address of the port, open or not. */
  public InetSocketAddress address() {
    return address;
  }

  /** Why the port is not open; null while it is. */
  public @Nullable String notListeningReason() {
    return notListeningReason;
  }

  /** Leaves new connections to the other gateways on the port. */
  public synchronized void stopAccepting() {
    closed = true;
    server.yieldPort();
  }

  /**
   * Opens the port again after {@link #stopAccepting} or a drain of the server: at once, or, on a
   * shared port, when the gateway is ready. Blocks while the operating system binds.
   *
   * @throws IOException when the port can't be opened at once; a later call tries again
   */
  public synchronized void resume() throws IOException {
    server.resume();
    closed = false;
    if (shared) {
      startListeningWhenReady();
    } else if (!server.isListening()) {
      try {
        address = server.bind(address);
      } catch (IOException e) {
        throw listenFailure("http.listen", listen, e);
      }
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
  }

  public static IOException listenFailure(String key, HostPort listen, IOException cause) {
    if (socketAddress(listen).isUnresolved()) {
      return new IOException(
          key
              + ": got "
              + listen
              + ", which does not resolve (expected: an address of this machine)",
          cause);
    }
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
