package dev.weir.gateway.process;

import dev.weir.protocol.EventLoops;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the state of this process to its supervisor, such as systemd: datagrams to the socket in
 * {@code NOTIFY_SOCKET}, in the format of {@code sd_notify}. Sends nothing where the variable is
 * not set. Safe on any thread.
 *
 * <p>With {@code WATCHDOG_USEC}, sends a keep-alive in each third of that time in which every event
 * loop runs a task. A virtual thread checks the event loops until {@link #close}.
 */
public final class SystemdNotifier implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(SystemdNotifier.class);

  /** Added to the time that a stop takes at most; the supervisor kills the process after both. */
  private static final Duration MARGIN = Duration.ofSeconds(10);

  private final EventLoops loops;
  private final @Nullable DomainSocketAddress address;
  private final @Nullable Thread watchdog;

  private SystemdNotifier(
      EventLoops loops, @Nullable DomainSocketAddress address, @Nullable Duration interval) {
    this.loops = loops;
    this.address = address;
    this.watchdog =
        address == null || interval == null
            ? null
            : Thread.ofVirtual().name("weir-watchdog").unstarted(() -> sendKeepAlives(interval));
  }

  /**
   * Creates a notifier for the supervisor of this process, if it has one.
   *
   * @param environment the environment variables of the process
   * @param loops send the datagrams; the watchdog checks all of them
   */
  public static SystemdNotifier create(Map<String, String> environment, EventLoops loops) {
    DomainSocketAddress address =
        address(environment.getOrDefault("NOTIFY_SOCKET", ""), loops.io());
    return new SystemdNotifier(
        loops, address, address == null ? null : watchdogInterval(environment));
  }

  /** A path, or an abstract name: it begins with @ here, and with a zero byte for the system. */
  private static @Nullable DomainSocketAddress address(String socket, EventLoops.IoTransport io) {
    if (socket.isEmpty()) {
      return null;
    }
    boolean valid = socket.startsWith("/") || (socket.startsWith("@") && socket.length() > 1);
    if (!valid || io != EventLoops.IoTransport.EPOLL) {
      LOGGER.warn(
          "NOTIFY_SOCKET: got {} (expected: {}); the gateway sends no notifications",
          socket,
          valid ? "a system with epoll" : "/path or @name");
      return null;
    }
    return new DomainSocketAddress(socket.startsWith("@") ? '\0' + socket.substring(1) : socket);
  }

  /** The timeout of the watchdog; null where there is none, or none for this process. */
  private static @Nullable Duration watchdogInterval(Map<String, String> environment) {
    String pid = environment.get("WATCHDOG_PID");
    if (pid != null && !pid.equals(Long.toString(ProcessHandle.current().pid()))) {
      return null;
    }
    try {
      long micros = Long.parseLong(environment.getOrDefault("WATCHDOG_USEC", "0"));
      return micros > 0 ? Duration.of(micros, ChronoUnit.MICROS) : null;
    } catch (NumberFormatException e) {
      LOGGER.warn("WATCHDOG_USEC: {} (expected: microseconds)", e.getMessage());
      return null;
    }
  }

  /** Reports that the start has succeeded, and starts the keep-alives of the watchdog. */
  public void notifyReady(String status) {
    send("READY=1\nSTATUS=" + status);
    if (watchdog != null) {
      watchdog.start();
    }
  }

  /** Reports a short description of the state, for people. */
  public void notifyStatus(String status) {
    send("STATUS=" + status);
  }

  /**
   * Reports that the process is about to end.
   *
   * @param atMost the time that the stop takes at most
   */
  public void notifyStopping(Duration atMost) {
    long micros = TimeUnit.MICROSECONDS.convert(atMost.plus(MARGIN));
    send("STOPPING=1\nSTATUS=draining\nEXTEND_TIMEOUT_USEC=" + micros);
  }

  private void sendKeepAlives(Duration interval) {
    Duration third = interval.dividedBy(3);
    LOGGER.debug("the gateway sends a keep-alive to the watchdog every {}", third);
    try {
      while (true) {
        if (areLoopsResponsive(third)) {
          send("WATCHDOG=1");
          Thread.sleep(third);
        } else {
          LOGGER.warn(
              "an event loop ran nothing for {}: the gateway sends no keep-alive to the watchdog",
              third);
        }
      }
    } catch (InterruptedException | RejectedExecutionException closed) {
      // no further notifications
    }
  }

  private boolean areLoopsResponsive(Duration within) throws InterruptedException {
    CountDownLatch turned = new CountDownLatch(loops.size());
    for (EventExecutor loop : loops.group()) {
      loop.execute(turned::countDown);
    }
    return turned.await(within.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Sends one datagram over a new socket, so that none stays open between datagrams. */
  private void send(String state) {
    if (address == null) {
      return;
    }
    new Bootstrap()
        .group(loops.loop(0)) // always the same loop, so that datagrams keep their order
        .channel(EpollDomainDatagramChannel.class)
        .handler(new ChannelInboundHandlerAdapter())
        .connect(address)
        .addListener((ChannelFuture connected) -> {
          Channel channel = connected.channel();
          if (!connected.isSuccess()) {
            logFailure(connected.cause());
            return;
          }
          channel
              .writeAndFlush(ByteBufUtil.writeUtf8(channel.alloc(), state))
              .addListener((ChannelFuture written) -> {
                if (!written.isSuccess()) {
                  logFailure(written.cause());
                }
              })
              .addListener(ChannelFutureListener.CLOSE);
        });
  }

  private static void logFailure(Throwable cause) {
    LOGGER.warn("NOTIFY_SOCKET: {}", cause.toString());
  }

  /** Stops the keep-alives. */
  @Override
  public void close() {
    if (watchdog != null) {
      watchdog.interrupt();
    }
  }
}
