package dev.weir.testkit.secured.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.RestReply;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResponseComparisonTest {
  private static final ComparedRequest SEARCH =
      ComparedRequest.read(ComparedIdentity.AUDITOR, "POST", "/orders/_search", "{}");
  private static final ComparedRequest WRITE =
      ComparedRequest.once(ComparedIdentity.AUDITOR, "PUT", "/orders/_doc/1", "{}");

  private final ResponseComparison comparison = new ResponseComparison();

  /** Responds with one body after the other, and with the last from then on. */
  private static final class ScriptedTarget implements ComparedTarget {
    private final List<String> bodies;
    private int sent;

    ScriptedTarget(String... bodies) {
      this.bodies = List.of(bodies);
    }

    @Override
    public RestReply send(ComparedRequest request) {
      return new RestReply(
          request.toString(), 200, bodies.get(Math.min(sent++, bodies.size() - 1)));
    }

    @Override
    public String comparable(RestReply reply) {
      return reply.body();
    }
  }

  private SecuredComparisonReport report() {
    return comparison.report(1, 1);
  }

  @Test
  void countAResponseThatIsRightOnlyAtTheSecondTime() {
    comparison.compare(SEARCH, new ScriptedTarget("right"), new ScriptedTarget("wrong", "right"));

    assertThat(report().different()).isEqualTo(1);
    assertThat(report().unstable()).isEqualTo(1);
    assertThat(report().differences())
        .singleElement()
        .asString()
        .contains("(right at the second time)", "wrong");
  }

  @Test
  void countAResponseThatIsWrongEachTime() {
    comparison.compare(SEARCH, new ScriptedTarget("right"), new ScriptedTarget("wrong"));

    assertThat(report().different()).isEqualTo(1);
    assertThat(report().unstable()).isZero();
  }

  @Test
  void takeAnyResponseOfANode() {
    comparison.compare(SEARCH, new ScriptedTarget("a", "b", "c"), new ScriptedTarget("c"));

    assertThat(report().different()).isZero();
    assertThat(report().differences()).isEmpty();
  }

  @Test
  void sendNoWriteTwice() {
    ScriptedTarget node = new ScriptedTarget("a", "b");
    ScriptedTarget gateway = new ScriptedTarget("b");
    comparison.compare(WRITE, node, gateway);

    assertThat(report().different()).isEqualTo(1);
    assertThat(node.sent).isEqualTo(1);
    assertThat(gateway.sent).isEqualTo(1);
  }

  @Test
  void findALeakInEveryResponse() {
    String leak = ComparisonOrders.CUSTOMER + "7";
    comparison.compare(SEARCH, new ScriptedTarget("right"), new ScriptedTarget("wrong", leak));

    assertThat(report().leaks()).singleElement().asString().contains(leak);
  }
}
