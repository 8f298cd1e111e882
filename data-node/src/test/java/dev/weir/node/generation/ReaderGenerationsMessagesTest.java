package dev.weir.node.generation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.tasks.TaskId;

final class ReaderGenerationsMessagesTest {
  @Test
  void aRequestNamesShardsByIndex() throws IOException {
    BytesStreamOutput out = new BytesStreamOutput();
    TaskId.EMPTY_TASK_ID.writeTo(out);
    out.writeVInt(2);
    out.writeString("a");
    out.writeString("uuid-a");
    out.writeVIntArray(new int[] {0, 3});
    out.writeString("b");
    out.writeString("uuid-b");
    out.writeVIntArray(new int[] {1});
    out.writeStringCollection(List.of("time"));

    ReaderGenerationsRequest request = new ReaderGenerationsRequest(out.bytes().streamInput());
    assertThat(request.copyCount()).isEqualTo(3);
    assertThat(request.indices()).containsExactly("a", "b");
    assertThat(request.shardsByIndex().getLast().index().getUUID()).isEqualTo("uuid-b");
    assertThat(request.shardsByIndex().getFirst().shards()).containsExactly(0, 3);
    assertThat(request.fields()).containsExactly("time");
    assertThat(request.validate()).isNull();
  }

  @Test
  void aResponseIsReadAsItWasWritten() throws IOException {
    List<@Nullable CopyGeneration> copies =
        Arrays.asList(
            new CopyGeneration(
                7, 3, 4, Arrays.asList(new CopyGeneration.DateRange(-5, 1L << 40), null)),
            null);
    BytesStreamOutput out = new BytesStreamOutput();
    new ReaderGenerationsResponse("run", copies).writeTo(out);
    ReaderGenerationsResponse read = new ReaderGenerationsResponse(out.bytes().streamInput());
    assertThat(read.nodeRun()).isEqualTo("run");
    assertThat(read.copies()).isEqualTo(copies);
  }
}
