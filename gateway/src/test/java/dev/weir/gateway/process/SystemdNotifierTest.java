package dev.weir.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.EventLoops;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Notifications that a real socket receives, as that of systemd does. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "systemd is Linux's, and so are its sockets")
class SystemdNotifierTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Duration A_MOMENT = Duration.ofMillis(300);

  private final EventLoops loops = EventLoops.start(2);

  @AfterEach
  void stop() {
    loops.close();
  }

  @Test
  void notifyASocketAtAPath(@TempDir Path folder) throws Throwable {
    tells(folder.resolve("notify").toString());
  }

  @Test
  void notifyASocketWithAnAbstractName() throws Throwable {
    tells("@weir-test/" + UUID.randomUUID());
  }

  private void tells(String name) throws Throwable {
    try (NotifySocket socket = new NotifySocket(name);
        SystemdNotifier supervisor = SystemdNotifier.create(Map.of("NOTIFY_SOCKET", name), loops)) {
      supervisor.notifyReady("listens");
      assertThat(socket.next(SOON)).isEqualTo("READY=1\nSTATUS=listens");
      supervisor.notifyStatus("serves");
      assertThat(socket.next(SOON)).isEqualTo("STATUS=serves");
      supervisor.notifyStopping(Duration.ofSeconds(30));
      assertThat(socket.next(SOON))
          .isEqualTo("STOPPING=1\nSTATUS=draining\nEXTEND_TIMEOUT_USEC=40000000");
      assertThat(socket.next(A_MOMENT)).as("without a watchdog").isEmpty();
    }
  }

  @Test
  void stopWatchdogMessagesWhileAnEventLoopIsStuck(@TempDir Path folder) throws Throwable {
    String name = folder.resolve("notify").toString();
    Map<String, String> environment = Map.of("NOTIFY_SOCKET", name, "WATCHDOG_USEC", "150000");
    try (NotifySocket socket = new NotifySocket(name);
        SystemdNotifier supervisor = SystemdNotifier.create(environment, loops)) {
      supervisor.notifyReady("listens");
      assertThat(socket.next(SOON)).startsWith("READY=1");
      assertThat(socket.next(SOON)).isEqualTo("WATCHDOG=1");
      assertThat(socket.next(SOON)).isEqualTo("WATCHDOG=1");

      CountDownLatch stuck = new CountDownLatch(1);
      CountDownLatch until = new CountDownLatch(1);
      loops
          .loop(1)
          .execute(() -> {
            stuck.countDown();
            try {
              until.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
      stuck.await();
      String last = socket.next(A_MOMENT);
      for (int underWay = 0; underWay < 20 && !last.isEmpty(); underWay++) {
        last = socket.next(A_MOMENT);
      }
      assertThat(last).isEmpty();

      until.countDown();
      assertThat(socket.next(SOON)).isEqualTo("WATCHDOG=1");
    }
  }

  @Test
  void ignoreAWatchdogOfAnotherProcess(@TempDir Path folder) throws Throwable {
    String name = folder.resolve("notify").toString();
    Map<String, String> environment =
        Map.of("NOTIFY_SOCKET", name, "WATCHDOG_USEC", "30000", "WATCHDOG_PID", "1");
    try (NotifySocket socket = new NotifySocket(name);
        SystemdNotifier supervisor = SystemdNotifier.create(environment, loops)) {
      supervisor.notifyReady("listens");
      assertThat(socket.next(SOON)).startsWith("READY=1");
      assertThat(socket.next(A_MOMENT)).isEmpty();
    }
  }

  @Test
  void tolerateAMissingListener(@TempDir Path folder) {
    for (String name : new String[] {"", "vsock:2:1234", folder.resolve("none").toString()}) {
      try (SystemdNotifier supervisor =
          SystemdNotifier.create(Map.of("NOTIFY_SOCKET", name, "WATCHDOG_USEC", "x"), loops)) {
        supervisor.notifyReady("listens");
        supervisor.notifyStopping(Duration.ZERO);
      }
    }
  }
}
