@NullMarked
package dev.weir.admission.queue;

import org.jspecify.annotations.NullMarked;
