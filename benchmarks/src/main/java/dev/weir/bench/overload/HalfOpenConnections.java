package dev.weir.bench.overload;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Connections that each send half of a request and no more. The oldest are closed for new ones.
 * Confined to one thread at a time.
 */
final class HalfOpenConnections implements AutoCloseable {
  private static final byte[] HALF =
      "POST /bench/_search HTTP/1.1\r\nHost: localhost\r\nContent-Le"
          .getBytes(StandardCharsets.US_ASCII);

  /** The number of local addresses: each has its own ports. */
  private static final int SOURCES = 8;

  private final InetSocketAddress target;
  private final String sources;
  private final int maxOpen;
  private final Deque<SocketChannel> open = new ArrayDeque<>();
  private int tried;
  private int failedHere;
  private int closedByPeer;

  /**
   * Creates none yet.
   *
   * @param sources the beginning of the local addresses, such as {@code 127.0.0.}
   * @param maxOpen keeps as many open
   */
  HalfOpenConnections(InetSocketAddress target, String sources, int maxOpen) {
    this.target = target;
    this.sources = sources;
    this.maxOpen = maxOpen;
  }

  /** Opens one more. Blocks until it is connected, or refused. */
  void openOne() {
    int source = tried++ % SOURCES;
    SocketChannel channel;
    try {
      channel = openBound(sources + (2 + source));
    } catch (IOException notOpened) {
      failedHere++; // such as too many open files
      return;
    }
    try {
      channel.connect(target);
      channel.write(ByteBuffer.wrap(HALF));
      channel.configureBlocking(false);
      open.addLast(channel);
    } catch (IOException refused) {
      closedByPeer++;
      closeChannel(channel);
    }
    if (open.size() > maxOpen) {
      SocketChannel oldest = open.removeFirst();
      closedByPeer += isClosedByPeer(oldest) ? 1 : 0;
      closeChannel(oldest);
    }
  }

  private static SocketChannel openBound(String address) throws IOException {
    SocketChannel channel = SocketChannel.open();
    try {
      return channel.bind(new InetSocketAddress(address, 0));
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private static boolean isClosedByPeer(SocketChannel channel) {
    try {
      return channel.read(ByteBuffer.allocate(256)) != 0;
    } catch (IOException reset) {
      return true;
    }
  }

  /** Returns the number of attempts. */
  int tried() {
    return tried;
  }

  /** Returns the number of attempts that reached the peer, even if that refused them. */
  int reached() {
    return tried - failedHere;
  }

  /** Returns the number of connections that the peer refused, or closed before they were closed. */
  int closedByPeer() {
    return closedByPeer;
  }

  /** Returns the number of connections that are open. */
  int openCount() {
    return open.size();
  }

  @Override
  public void close() {
    open.forEach(HalfOpenConnections::closeChannel);
    open.clear();
  }

  private static void closeChannel(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
