package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.cluster.ClusterStates;
import dev.weir.cluster.ClusterView;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class UnauthenticatedAccessWarningTest {

  @Test
  void warnOnceAboutUnauthenticatedAccess() {
    ClusterView plain = ClusterStates.ofNodes(1).index("i", 1, 0).view();
    ClusterView secured = ClusterStates.ofNodes(1).index(".opendistro_security", 1, 0).view();
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Logger logger = (Logger) LoggerFactory.getLogger(UnauthenticatedAccessWarning.class);
    logger.addAppender(lines);
    try {
      UnauthenticatedAccessWarning unchecked = new UnauthenticatedAccessWarning("main");
      unchecked.onChange(ClusterView.empty(0), plain);
      assertThat(lines.list).isEmpty();
      unchecked.onChange(plain, secured);
      unchecked.onChange(secured, plain);
      unchecked.onChange(plain, secured);
    } finally {
      logger.detachAppender(lines);
    }
    assertThat(lines.list)
        .singleElement()
        .extracting(ILoggingEvent::getFormattedMessage)
        .asString()
        .startsWith("clusters.main.authorization is none");
  }
}
