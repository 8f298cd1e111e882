/** Retries and hedged requests within the budgets of policies, and their counts. */
@NullMarked
package dev.weir.core.coordinate.attempt;

import org.jspecify.annotations.NullMarked;
