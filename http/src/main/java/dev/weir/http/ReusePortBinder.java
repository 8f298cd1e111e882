package dev.weir.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannelOption;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on a port that several processes of one user share (SO_REUSEPORT), so that one of them
 * can leave without losing a connection.
 *
 * <p>Linux keeps a queue of connections for each listening socket, picks a socket for each new
 * connection by a hash, and resets the connections that wait in the queue of a closed socket. A
 * socket must therefore stop being picked before it is closed. Linux prefers sockets that ask for
 * the connections of the processor that a connection arrives on (SO_INCOMING_CPU; among several
 * sockets of a port since 6.2). The binder therefore opens one socket for each processor. A process
 * that leaves withdraws this preference; Linux then picks the sockets of another process that has
 * it. The leaving process accepts for a while longer, because TCP handshakes may be under way, then
 * takes all queued connections and closes its sockets.
 */
final class ReusePortBinder {
  private static final Logger LOG = LoggerFactory.getLogger(ReusePortBinder.class);

  private static final int SOL_SOCKET = 1;
  private static final ChannelOption<Integer> INCOMING_CPU =
      new IntegerUnixChannelOption("SO_INCOMING_CPU", SOL_SOCKET, 49);
  private static final int NO_CPU = -1;

  private static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");
  private static final Pattern RANGE = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");
  private static final int MAX_PROCESSORS = 1024;

  private ReusePortBinder() {}

  /**
   * Starts listening.
   *
   * @throws IOException when the address can't be bound; all sockets are closed then
   */
  static List<Channel> bind(ServerBootstrap bootstrap, InetSocketAddress address)
      throws IOException {
    List<Channel> bound = new ArrayList<>();
    for (int processor : onlineProcessors()) {
      var binding =
          bootstrap
              .clone()
              .option(UnixChannelOption.SO_REUSEPORT, true)
              .option(INCOMING_CPU, processor)
              .bind(address)
              .awaitUninterruptibly();
      if (!binding.isSuccess()) {
        bound.forEach(Channel::close);
        throw new IOException(
            "got " + address + ": " + binding.cause().getMessage() + " (expected: free to share)",
            binding.cause());
      }
      bound.add(binding.channel());
    }
    return bound;
  }

  /** Returns whether sockets of this class can share a port. */
  static boolean isSupported(Class<?> serverChannel) {
    return serverChannel == EpollServerSocketChannel.class;
  }

  /**
   * Withdraws this socket's preference, so that another process on the port receives new
   * connections.
   */
  static void yieldConnections(Channel listening) {
    listening.config().setOption(INCOMING_CPU, NO_CPU);
  }

  /**
   * Accepts all queued connections and closes the socket at once. Call on the channel's event loop.
   */
  static void acceptAllAndClose(Channel listening) {
    if (!listening.isOpen()) {
      return;
    }
    try {
      Socket socket = new Socket(((EpollServerSocketChannel) listening).fd().intValue());
      byte[] address = new byte[26];
      for (int fd = socket.accept(address); fd >= 0; fd = socket.accept(address)) {
        listening.pipeline().fireChannelRead(new EpollSocketChannel(fd));
      }
      listening.pipeline().fireChannelReadComplete();
    } catch (IOException e) {
      LOG.warn("cannot accept the queued connections", e);
    } finally {
      listening.close();
    }
  }

  /**
   * Returns the machine's online processors, including those that this process may not use: network
   * packets arrive on all of them.
   */
  static List<Integer> onlineProcessors() {
    String online;
    try {
      online = Files.readString(ONLINE);
    } catch (IOException notHere) {
      online = "0-" + (Runtime.getRuntime().availableProcessors() - 1);
    }
    List<Integer> numbers = new ArrayList<>();
    Matcher ranges = RANGE.matcher(online);
    while (ranges.find()) {
      int from = Integer.parseInt(ranges.group(1));
      int to = ranges.group(2) == null ? from : Integer.parseInt(ranges.group(2));
      for (int number = from; number <= to && numbers.size() < MAX_PROCESSORS; number++) {
        numbers.add(number);
      }
    }
    return numbers.isEmpty() ? List.of(0) : numbers;
  }
}
