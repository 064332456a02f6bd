// Validates the document in the first argument.
import { validate } from '@apidevtools/swagger-parser';

await validate(process.argv[2]);
