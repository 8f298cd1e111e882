package dev.weir.testkit.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.RestClient;
import dev.weir.testkit.SharedCluster;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SampleDataLoaderIT {
  private final RestClient rest = SharedCluster.get().rest();
  private final Clock clock = Clock.fixed(Instant.parse("2026-03-15T12:00:00Z"), ZoneOffset.UTC);

  @AfterEach
  void deleteIndices() {
    rest.send("DELETE", "/products,access-log-2026.03.*").orThrow();
  }

  @Test
  void loadMissingDataOnce() {
    List<String> progress = new ArrayList<>();
    SampleDataLoader data = new SampleDataLoader(rest, 1, clock);
    data.load(progress::add);
    data.load(progress::add);

    assertThat(progress)
        .containsExactly(
            "loaded 2000 documents into products",
            "loaded 2000 documents into access-log-2026.03.12",
            "loaded 2000 documents into access-log-2026.03.13",
            "loaded 2000 documents into access-log-2026.03.14",
            "kept index products",
            "kept index access-log-2026.03.12",
            "kept index access-log-2026.03.13",
            "kept index access-log-2026.03.14");
    assertThat(rest.send("GET", "/products/_count?q=name:lamp").body())
        .matches("\\{\"count\":[1-9][0-9]+,.*\"failed\":0}}");
    assertThat(rest.send("GET", "/access-log/_count").body()).startsWith("{\"count\":6000,");
    assertThat(rest.send("GET", "/access-log/_count?q=status:503").body())
        .matches("\\{\"count\":[1-9][0-9]+,.*");
  }
}
