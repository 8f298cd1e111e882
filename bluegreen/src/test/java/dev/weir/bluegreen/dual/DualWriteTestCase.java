package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.opensearch.OpenSearchStatusException;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.rest.RestStatus;

/**
 * A test of writes that are repeated on a second cluster in memory; at the end no memory is held.
 */
abstract class DualWriteTestCase {
  @TempDir Path directory;
  DualWriteFixture world;

  @BeforeEach
  void start() {
    world = new DualWriteFixture(directory);
  }

  @AfterEach
  void stop() {
    world.close();
    assertThat(world.held()).as("memory that is held at rest").isZero();
  }

  static IndexRequest index(String id, String value) {
    return new IndexRequest("logs").id(id).source("{\"v\":\"" + value + "\"}", XContentType.JSON);
  }

  static UpdateRequest update(String id, String value) {
    return new UpdateRequest("logs", id)
        .doc("{\"v\":\"" + value + "\"}", XContentType.JSON)
        .docAsUpsert(true);
  }

  static Exception refusal(RestStatus status, String why) {
    return new OpenSearchStatusException(why, status);
  }

  long outcome(DualWriteOutcome outcome) {
    return world.counts.countOf("green", outcome);
  }

  void assertSame() {
    assertThat(world.green.all()).isEqualTo(world.blue.all());
  }
}
