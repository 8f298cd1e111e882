package dev.weir.http.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** How long the reporter tracks an address, and how many addresses it tracks. */
class TlsMismatchExpiryTest {
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(TlsMismatchReporter.class);
  private final AtomicLong nanos = new AtomicLong();
  private final TlsMismatchReporter reporter = new TlsMismatchReporter(nanos::get);

  @BeforeEach
  void listen() {
    lines.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(lines);
    logger.setLevel(null);
  }

  private static InetSocketAddress node(int number) {
    return InetSocketAddress.createUnresolved("node-" + number, 9200);
  }

  private List<String> logged() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void forgetAnAddressThatHasNotFailedForAnHour() {
    reporter.onSilentClose(node(1));
    nanos.addAndGet(TlsMismatchReporter.EXPIRY.toNanos());
    reporter.onSilentClose(node(2));

    assertThat(reporter.trackedAddresses()).isOne();
    reporter.onSilentClose(node(1));
    assertThat(logged()).hasSize(3);
  }

  @Test
  void keepQuietAboutAnAddressThatKeepsFailing() {
    long half = TlsMismatchReporter.EXPIRY.toNanos() / 2;
    for (int i = 0; i < 10; i++) {
      reporter.onSilentClose(node(1));
      nanos.addAndGet(half);
    }
    assertThat(logged()).hasSize(1);

    nanos.addAndGet(half);
    reporter.onSilentClose(node(1));
    assertThat(logged()).hasSize(2);
  }

  @Test
  void rememberABoundedNumberOfAddressesAndDropTheOldest() {
    for (int i = 0; i < TlsMismatchReporter.MAX_ADDRESSES + 100; i++) {
      reporter.onSilentClose(node(i));
      nanos.incrementAndGet();
    }
    assertThat(reporter.trackedAddresses()).isEqualTo(TlsMismatchReporter.MAX_ADDRESSES);
    lines.list.clear();

    reporter.onSilentClose(node(TlsMismatchReporter.MAX_ADDRESSES));
    assertThat(logged()).isEmpty();
    reporter.onSilentClose(node(0));
    assertThat(logged()).hasSize(1);
  }

  @Test
  void forgetAnAddressThatAnswers() {
    reporter.onSilentClose(node(1));
    reporter.onResponse(node(1));
    assertThat(reporter.trackedAddresses()).isZero();
    assertThat(logged()).hasSize(2).last().asString().endsWith("answers");
  }
}
