package dev.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartedContendersTest {
  private static final MeasuredEndpoint DIRECT =
      new MeasuredEndpoint(
          "direct",
          List.of(new InetSocketAddress("127.0.0.1", 9200)),
          MeasuredEndpoint.NO_PROCESS,
          false);

  private final List<String> closed = new ArrayList<>();

  private StartedContenders.Starter running(String name) {
    MeasuredEndpoint endpoint = new MeasuredEndpoint(name, DIRECT.addresses(), 1, false);
    return () -> new StartedContenders.Contender(() -> closed.add(name), endpoint);
  }

  private static StartedContenders.Starter failing() {
    return () -> {
      throw new IllegalArgumentException("can't start");
    };
  }

  @Test
  void endWhatRunsWhenAnotherFailsToStart() {
    assertThatThrownBy(() ->
            StartedContenders.start(DIRECT, List.of(running("one"), failing(), running("three"))))
        .hasMessage("can't start");
    assertThat(closed).containsExactly("one");
  }

  @Test
  void endAllEvenIfOneCannotBeEnded() throws Exception {
    MeasuredEndpoint endpoint = new MeasuredEndpoint("stuck", DIRECT.addresses(), 1, false);
    StartedContenders.Starter stuck =
        () ->
            new StartedContenders.Contender(
                () -> {
                  throw new IOException("stuck");
                },
                endpoint);
    StartedContenders contenders =
        StartedContenders.start(DIRECT, List.of(stuck, () -> null, running("other")));

    assertThat(contenders.endpoints())
        .extracting(MeasuredEndpoint::name)
        .containsExactly("direct", "stuck", "other");
    assertThatThrownBy(contenders::close).hasMessage("can't stop a contender");
    assertThat(closed).containsExactly("other");
  }
}
