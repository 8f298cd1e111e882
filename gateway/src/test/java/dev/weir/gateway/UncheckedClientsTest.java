package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.States;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class UncheckedClientsTest {

  @Test
  void saysOnceThatNobodyChecksClientsOfASecuredCluster() {
    ClusterView plain = States.ofNodes(1).index("i", 1, 0).view();
    ClusterView secured = States.ofNodes(1).index(".opendistro_security", 1, 0).view();
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Logger logger = (Logger) LoggerFactory.getLogger(UncheckedClients.class);
    logger.addAppender(lines);
    try {
      UncheckedClients unchecked = new UncheckedClients("main");
      unchecked.changed(ClusterView.empty(0), plain);
      assertThat(lines.list).isEmpty();
      unchecked.changed(plain, secured);
      unchecked.changed(secured, plain);
      unchecked.changed(plain, secured);
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
