package dev.weir.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.soak.MemorySample.Figure;
import org.junit.jupiter.api.Test;

final class MemorySampleTest {
  private static final String STATUS =
      """
      Name:\tjava
      Pid:\t4711
      VmRSS:\t  204800 kB
      RssAnon:\t  153600 kB
      RssFile:\t   51200 kB
      Threads:\t40
      """;

  private static final String JSTAT =
      """
          S0C         S1C         S0U         S1U          EC           EU           OC           OU
              0.0      8192.0         0.0      2048.0      65536.0      40960.0     188416.0      38912.0
      """;

  private static final String METRICS =
      """
      # TYPE jvm_memory_used_bytes gauge
      jvm_memory_used_bytes{area="heap",id="G1 Eden Space"} 1.048576E7
      jvm_memory_used_bytes{area="heap",id="G1 Old Gen"} 2.097152E7
      jvm_memory_used_bytes{area="nonheap",id="CodeHeap 'non-nmethods'"} 1048576.0
      jvm_memory_used_bytes{area="nonheap",id="CodeHeap 'profiled nmethods'"} 2097152.0
      jvm_memory_used_bytes{area="nonheap",id="Metaspace"} 5.24288E7
      jvm_buffer_memory_used_bytes{id="direct"} 4194304.0
      jvm_buffer_memory_used_bytes{id="mapped"} 1.0
      process_files_open_files 123.0
      """;

  @Test
  void readStatusAndMetrics() {
    MemorySample sample = MemorySample.parse(STATUS, JSTAT, METRICS);
    assertThat(sample.of(Figure.RESIDENT)).isEqualTo(200);
    assertThat(sample.of(Figure.ANONYMOUS)).isEqualTo(150);
    assertThat(sample.of(Figure.FILES)).isEqualTo(50);
    assertThat(sample.of(Figure.HEAP)).isEqualTo(30);
    assertThat(sample.of(Figure.COLLECTED_HEAP)).isEqualTo(40);
    assertThat(sample.of(Figure.CODE)).isEqualTo(3);
    assertThat(sample.of(Figure.METASPACE)).isEqualTo(50);
    assertThat(sample.of(Figure.DIRECT)).isEqualTo(4);
    assertThat(sample.of(Figure.OPEN_FILES)).isEqualTo(123);
  }

  @Test
  void showWhatIsMissing() {
    MemorySample sample = MemorySample.parse(STATUS, JSTAT, METRICS);
    assertThat(sample.of(Figure.NETTY)).isNaN();
    assertThat(sample.toString()).contains("Netty direct NaN MB", "threads NaN", "open files 123");
  }
}
