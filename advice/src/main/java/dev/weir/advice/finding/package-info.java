/** What a check finds: how much, why it matters, and what mends it. Values alone. */
@NullMarked
package dev.weir.advice.finding;

import org.jspecify.annotations.NullMarked;
