package dev.weir.testkit.junit;

import java.lang.reflect.AnnotatedElement;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Skips what has {@link Drawn} and is not drawn, before anything of it runs. */
final class DrawnCondition implements ExecutionCondition {
  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    AnnotatedElement element = context.getElement().orElse(null);
    Drawn drawn = element == null ? null : element.getAnnotation(Drawn.class);
    if (element == null
        || drawn == null
        || TestSuite.IS_WHOLE
        || isDrawn(element.toString(), drawn.oneIn())) {
      return ConditionEvaluationResult.enabled("drawn");
    }
    return ConditionEvaluationResult.disabled(
        "one in " + drawn.oneIn() + " builds runs it; -Dweir.suite=all always does");
  }

  /** Whether this run's seed draws a name. */
  static boolean isDrawn(String name, int oneIn) {
    return Math.floorMod(TestSeed.mix(name) >>> 17, oneIn) == 0;
  }
}
