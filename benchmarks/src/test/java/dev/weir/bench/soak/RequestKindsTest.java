package dev.weir.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class RequestKindsTest {
  private static final int DOCUMENTS = 2000;
  private static final List<RequestKind> KINDS = RequestKinds.all(DOCUMENTS);

  @Test
  void haveSharesOfAHundred() {
    assertThat(KINDS.stream().mapToInt(RequestKind::share).sum()).isEqualTo(100);
  }

  @Test
  void replaceTheSameDocumentsForEver() {
    RequestKind bulk =
        KINDS.stream().filter(kind -> kind.name().equals("bulk")).findFirst().orElseThrow();
    Set<Integer> ids = new TreeSet<>();
    Pattern id = Pattern.compile("\"_id\":\"(\\d+)\"");
    for (int n = 0; n < 200; n++) {
      String request = new String(bulk.request().apply(n), StandardCharsets.UTF_8);
      for (Matcher found = id.matcher(request); found.find(); ) {
        ids.add(Integer.parseInt(found.group(1)));
      }
    }
    assertThat(ids).hasSizeLessThanOrEqualTo(DOCUMENTS).allMatch(one -> one < DOCUMENTS);
  }
}
