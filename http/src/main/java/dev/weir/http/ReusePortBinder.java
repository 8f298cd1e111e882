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
 * A port that several processes of one user listen on (SO_REUSEPORT), one of which can leave
 * without losing a connection.
 *
 * <p>Linux has a queue of connections for each socket that listens, chooses one of the sockets for
 * each new connection by a hash, and resets what waits in the queue of a socket that is closed. So
 * a socket must cease to be chosen before it is closed. Linux prefers sockets that ask for
 * connections of the processor that a connection comes in on (SO_INCOMING_CPU; among several
 * sockets of a port since 6.2). So there is one socket for each processor; whoever is about to
 * leave takes that wish back, and is chosen no more while another process has the wish. It goes on
 * to accept for a while, as connections may be half open, then takes all that are left, and closes.
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
   * Starts to listen.
   *
   * @throws IOException when the address can't be bound; then none of its sockets is left
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

  /** Whether sockets of a kind can share a port. */
  static boolean isSupported(Class<?> serverChannel) {
    return serverChannel == EpollServerSocketChannel.class;
  }

  /** Lets another process have the connections that come from now on, if there is one. */
  static void yieldConnections(Channel listening) {
    listening.config().setOption(INCOMING_CPU, NO_CPU);
  }

  /** Takes all connections that wait, and closes at once. Call on the channel's loop. */
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
      LOG.warn("can't take what waits to be accepted", e);
    } finally {
      listening.close();
    }
  }

  /** Those of the machine, whatever part of them this process may use: they take packets in. */
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
