import { pay } from './actions';

export default function Page() {
  return (
    <form action={pay}>
      <h1>Pay a supplier</h1>
      <label>
        Supplier <input name="supplier" required />
      </label>
      <label>
        Amount in USD <input name="amount" inputMode="decimal" required />
      </label>
      <label>
        Invoice <input name="invoice" required />
      </label>
      <button>Pay</button>
    </form>
  );
}
