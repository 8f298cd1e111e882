/** What putting copies in order costs: time and bytes allocated, by JMH. */
@NullMarked
package dev.weir.bench.selection;

import org.jspecify.annotations.NullMarked;
